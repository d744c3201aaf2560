import type { RoutingFacts } from '../../../domain/exchange/routing-info.ts';
import type { ImageAnswer, ImageRequest, ImageTokens } from '../../../domain/images/images.ts';
import type { GivenImage } from './made-images.ts';

/** Returns the `usage` of OpenAI's answers; `null` if the upstream does not count tokens. */
export function usageOf(tokens: ImageTokens | null): object | null {
  if (tokens === null) return null;
  const { textInput, imageInput, textOutput, imageOutput } = tokens;
  const input = textInput + imageInput;
  const output = textOutput + imageOutput;
  return {
    input_tokens: input,
    input_tokens_details: { text_tokens: textInput, image_tokens: imageInput },
    output_tokens: output,
    output_tokens_details: { text_tokens: textOutput, image_tokens: imageOutput },
    total_tokens: input + output,
  };
}

/**
 * Returns the client's response in OpenAI's shape, as JSON (contract, Image edit / image result). `nowMs` is in milliseconds since 1970.
 */
export function encodeAnswer(
  answer: ImageAnswer,
  images: readonly GivenImage[],
  { routing, nowMs }: { readonly routing: RoutingFacts; readonly nowMs: number },
): string {
  const { created, background, fileFormat, quality, size, tokens, details = {} } = answer;
  const usage = usageOf(tokens);
  const members = {
    created: created ?? Math.floor(nowMs / 1_000),
    data: images,
    ...(background !== null && { background }),
    ...(fileFormat !== null && { output_format: fileFormat }),
    ...(quality !== null && { quality }),
    ...(size !== null && { size }),
    ...(usage !== null && { usage }),
    ...details,
  };
  return `${JSON.stringify(members).slice(0, -1)},"_routing":${routing.json}}`;
}

/** Returns a stream with only final events, one per image (OpenAI's `image_generation.completed`). */
export function encodeEvents(
  request: Pick<ImageRequest, 'endpoint'>,
  answer: ImageAnswer,
  images: readonly GivenImage[],
  { routing, nowMs }: { readonly routing: RoutingFacts; readonly nowMs: number },
): string {
  const type = request.endpoint === 'edits' ? 'image_edit.completed' : 'image_generation.completed';
  const { created, background, fileFormat, quality, size, tokens } = answer;
  const usage = usageOf(tokens);
  const events = images.map((image, index) => {
    const event = {
      ...{ type, created_at: created ?? Math.floor(nowMs / 1_000), b64_json: image.b64_json ?? '' },
      ...{ background: background ?? 'auto', output_format: fileFormat ?? 'png', quality: quality ?? 'auto' },
      size: size ?? 'auto',
      // All images were made together, so the last event has the usage of all.
      ...(usage !== null && index === images.length - 1 && { usage }),
    };
    const text = JSON.stringify(event).slice(0, -1);
    const told = index === images.length - 1 ? `,"_routing":${routing.json}` : '';
    return `event: ${type}\ndata: ${text}${told}}\n\n`;
  });
  return events.join('');
}
