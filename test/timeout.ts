declare const TEST_TIMEOUT: number;

// As an option of a project, jest takes no notice of it.
jest.setTimeout(TEST_TIMEOUT);
