import js from '@eslint/js';
import tseslint from 'typescript-eslint';

/** Rules for code that is not shipped. Shipped code follows n8n's own rules, in the root config. */
export default tseslint.config(
	{ linterOptions: { reportUnusedDisableDirectives: 'error' } },
	js.configs.recommended,
	{
		files: ['**/*.ts'],
		extends: [tseslint.configs.recommendedTypeChecked],
		languageOptions: {
			parserOptions: {
				project: './test/tsconfig.json',
				tsconfigRootDir: `${import.meta.dirname}/..`,
			},
		},
		rules: {
			'@typescript-eslint/no-floating-promises': 'error',
			'@typescript-eslint/require-await': 'off',
			'@typescript-eslint/no-unused-vars': [
				'error',
				{ argsIgnorePattern: '^_', varsIgnorePattern: '^_' },
			],
		},
	},
	{
		// jest types `expect.any()` and similar matchers as any.
		files: ['**/*.test.ts'],
		rules: {
			'@typescript-eslint/no-unsafe-assignment': 'off',
			'@typescript-eslint/no-unsafe-return': 'off',
		},
	},
	{
		files: ['**/*.mjs'],
		languageOptions: {
			globals: { console: 'readonly', process: 'readonly', fetch: 'readonly', URL: 'readonly' },
		},
	},
	{
		files: ['**/*.js'],
		languageOptions: {
			sourceType: 'commonjs',
			globals: {
				module: 'writable',
				exports: 'writable',
				require: 'readonly',
				__dirname: 'readonly',
				process: 'readonly',
			},
		},
	},
);
