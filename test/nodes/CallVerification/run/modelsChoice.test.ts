import { refuseModelsChoice } from '../../../../nodes/CallVerification/run/modelsChoice';
import { requestOptionsField } from '../../../../nodes/CallVerification/run/requestOptions';

const refuse = (raw: unknown) => () => refuseModelsChoice(requestOptionsField, raw);

describe('refuseModelsChoice', () => {
	it.each(["={{ $fromAI('x') }}", '={{ $json.options }}', '={{ { maxRetries: 5 } }}', '='])(
		'refuses all options in one expression: %s',
		(raw) => {
			expect(refuse(raw)).toThrow(
				'“Request Options” is one expression, with which a model could set limits',
			);
		},
	);

	it.each([
		"={{ $fromAI('x') }}",
		"={{ $fromai('x') }}",
		"={{ $from_ai('x') }}",
		"=7{{ /* anything */ $fromAI('x') }}",
		'={{ $data.x }}',
		'={{ $tool.parameters.x }}',
		'={{ $parameter.phone }}',
		'={{ 1 + $json.x }}',
		'={{ $input.all()[0].json.x }}',
		"={{ $node['Agent'].json.x }}",
		'={{ $items()[0].json.x }}',
		'={{ $vars.limit ?? $json.limit }}',
		['={{ $json.x }}'],
		{ deep: [{ deeper: "={{ $fromAI('x') }}" }] },
	])('refuses a limit that a model could write: %j', (value) => {
		expect(refuse({ maxRetries: value })).toThrow('“Max Retries” limits the model');
	});

	it.each([
		5,
		'',
		'$json is not read in a fixed text',
		'={{ 5 }}',
		'={{ $vars.limit }}',
		'={{ $env.LIMIT }}',
		"={{ $('Settings').first().json.limit }}",
		'={{ $if($now.hour > 8, 5, $max(1, 2)) }}',
	])('accepts what only the user can have written: %j', (value) => {
		expect(refuse({ maxRetries: value })).not.toThrow();
	});

	it.each([undefined, null, {}])('accepts %j', (raw) => {
		expect(refuse(raw)).not.toThrow();
	});
});
