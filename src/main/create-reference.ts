import { openaiChat } from '../formats/text/openai-chat/index.ts';
import { methodNotAllowed } from '../transports/inference/method-not-allowed.ts';
import type { RouteHandler, Routes } from '../transports/inference/route.ts';
import { REFERENCE_PATHS, Reference } from '../transports/reference/reference.ts';
import { ReferenceScript } from '../transports/reference/script.ts';
import { GUIDES } from './guides.ts';
import { newRequestId } from './system.ts';

/** Serves `/docs` and everything under it. */
export function createReference(): Routes {
  const reference = new Reference(GUIDES, new ReferenceScript());
  const handler: RouteHandler = async (request) => {
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return methodNotAllowed(request, openaiChat, { allow: 'GET, HEAD', newRequestId });
    const answer = await reference.answer(request);
    answer.headers.set('x-request-id', newRequestId());
    return answer;
  };
  return Object.fromEntries(REFERENCE_PATHS.map((path) => [path, handler]));
}
