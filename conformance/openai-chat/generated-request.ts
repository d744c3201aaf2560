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

/** The tools' names in a recorded answer, whole or streamed, so that an SDK knows every tool that gets called. */
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
 * A plausible request for a recording whose source kept only the answer (or wrote a request that is no JSON). It never
 * asks for usage, so that a recorded usage chunk must be hidden from the client that did not ask.
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
