import type { Losses } from '../../../domain/exchange/loss.ts';
import type { MediaPart } from '../../../domain/exchange/part.ts';

const WHY = 'only a document has a name or words about it there; by its bytes or its label this file is something else';

/** Notes the loss of a file's name and description, for APIs that have neither for images, audio and video. */
export function noteNameless({ type, fileName, title, context, path }: MediaPart, losses: Losses): void {
  if (type === 'document' || (fileName ?? title ?? context) === undefined) return;
  losses.note({ field: path ?? type, verdict: 'approximated', why: WHY });
}
