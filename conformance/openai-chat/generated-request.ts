import { asArray, asObject, parseJson } from '../shared/json.ts';
import type { Recording } from '../shared/recordings.ts';

function tool(name: string) {
  const parameters = { type: 'object', properties: { input: { type: 'string' } }, additionalProperties: true };
  return { type: 'function', function: { name, description: `Runs ${name}`, parameters } };
}

const answerFormat = {
  type: 'json_schema',
  json_schema: { name: 'answer', schema: { type: 'object', properties: { answer: { type: 'string' } } } },
};

/**
 * Returns the names of the tools that a recorded response calls, whole or streamed, so that they can be declared to
 * the SDK.
 */
function calledTools(responseBody: string): readonly string[] {
  const bodies = [
    parseJson(responseBody),
    ...responseBody.split(/\r?\n/).map((line) => parseJson(line.replace(/^data:/, ''))),
  ];
  const names = bodies.flatMap((body) =>
    asArray(asObject(body).choices).flatMap((choice) => {
      const message = asObject(asObject(choice).message ?? asObject(choice).delta);
      return asArray(message.tool_calls).map((call) => asObject(asObject(call).function).name);
    }),
  );
  return [...new Set(names)].filter((name): name is string => typeof name === 'string' && name !== '');
}

/**
 * Returns a plausible request for a recording without one (or with one that is not JSON). It never asks for usage, so
 * the gateway must hide a recorded usage chunk.
 */
export function generatedChatRequest(recording: Recording): Readonly<Record<string, unknown>> {
  const tools = recording.tags.has('tool-call') ? calledTools(recording.responseBody).map(tool) : [];
  return {
    messages: [
      { role: 'system', content: 'Answer briefly.' },
      { role: 'user', content: 'What is the weather in Paris, and what should I wear?' },
    ],
    ...(recording.stream ? { stream: true } : {}),
    ...(tools.length > 0 ? { tools } : {}),
    ...(recording.tags.has('structured-output') ? { response_format: answerFormat } : {}),
  };
}
