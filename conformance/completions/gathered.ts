import type OpenAI from 'openai';

/** Reads a stream of text completions to its end with the SDK. */
export async function gathered(stream: AsyncIterable<OpenAI.Completion>) {
  const chunks: OpenAI.Completion[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  const text = chunks.map(({ choices: [choice] }) => choice?.text ?? '').join('');
  const reason = chunks.findLast(({ choices: [choice] }) => choice?.finish_reason)?.choices[0]?.finish_reason;
  return { chunks, text, reason, usage: chunks.findLast(({ usage }) => usage)?.usage };
}
