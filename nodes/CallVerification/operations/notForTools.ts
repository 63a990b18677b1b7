import type { IDisplayOptions } from 'n8n-workflow';

/** Hides what would make an AI tool wait, or tell a model what it must not know. */
export const notForTools: IDisplayOptions = { hide: { '@tool': [true] } };
