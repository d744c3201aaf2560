import { asObject, type JsonObject } from '../../shared/json.ts';
import { pngOf } from '../../shared/png.ts';
import type { ReceivedRequest } from '../rule.ts';
import { memberOf } from './rules.ts';

/* Default responses of the image wires: the requested number of images, one pixel each. */

const BASE64 = pngOf({ width: 1, height: 1 }).toString('base64');
/** The URL that a provider returns for an image. Nothing listens there. */
const ADDRESS = 'https://pictures.example/made.png';

/** OpenAI's shape, which several providers use. */
function openaiShaped(request: ReceivedRequest): Response {
  const data: JsonObject[] = Array.from({ length: Number(memberOf(request, 'n') ?? 1) }, () => ({ b64_json: BASE64 }));
  return Response.json({ created: 1_790_000_000, data });
}

function gemini(): Response {
  const parts = [{ inlineData: { mimeType: 'image/png', data: BASE64 } }];
  return Response.json({ candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP' }] });
}

function imagen({ body }: ReceivedRequest): Response {
  const { sampleCount = 1 } = asObject(asObject(body).parameters);
  const prediction = { bytesBase64Encoded: BASE64, mimeType: 'image/png' };
  return Response.json({ predictions: Array.from({ length: Number(sampleCount) }, () => prediction) });
}

function ideogram(request: ReceivedRequest): Response {
  const image = { url: ADDRESS, prompt: 'A cat.', resolution: '1024x1024', is_image_safe: true, seed: 1 };
  return Response.json({
    created: '2026-11-29T00:00:00Z',
    data: Array.from({ length: Number(memberOf(request, 'num_images') ?? 1) }, () => image),
  });
}

/** The final state of an image job at Black Forest Labs. */
export const BFL_RESULT = { id: 'job1', status: 'Ready', result: { sample: ADDRESS, prompt: 'A cat.', seed: 1 } };

export const IMAGE_ANSWERS: Readonly<Record<string, (request: ReceivedRequest) => Response>> = {
  ...{ 'openai-images': openaiShaped, 'openai-image-edits': openaiShaped, 'xai-images': openaiShaped },
  ...{ 'recraft-images': openaiShaped, 'together-images': openaiShaped, 'openrouter-images': openaiShaped },
  ...{ 'gemini-images': gemini, imagen, 'ideogram-images': ideogram },
  'stability-images': () => Response.json({ image: BASE64, finish_reason: 'SUCCESS', seed: 1 }),
  'replicate-images': () => Response.json({ id: 'prediction1', status: 'succeeded', output: [ADDRESS], error: null }),
  'bfl-images': () => Response.json({ id: BFL_RESULT.id }),
};
