import { PiecedBody } from '../../../domain/media/pieced-body.ts';
import type { UploadedFile } from '../../../domain/media/uploaded-file.ts';

const utf8 = new TextEncoder();

/**
 * Returns a JSON body that contains a file as base64 text and is never in memory as a whole. `make` receives a placeholder for
 * the file's text, and puts it into exactly one string of the value.
 */
export function jsonWithFile(file: UploadedFile, make: (base64: string) => unknown): PiecedBody {
  const mark = crypto.randomUUID();
  const [before, after, ...others] = JSON.stringify(make(mark)).split(mark);
  if (before === undefined || after === undefined || others.length > 0) {
    throw new Error('a JSON body must hold its file exactly once');
  }
  return new PiecedBody([utf8.encode(before), { file, as: 'base64' }, utf8.encode(after)]);
}
