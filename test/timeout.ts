declare const TEST_TIMEOUT: number;

// jest ignores this as a project option.
jest.setTimeout(TEST_TIMEOUT);
