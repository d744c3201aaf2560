import type { UploadedFile } from '../../../domain/media/uploaded-file.ts';
import type { CheckedPng } from './parse-edit.ts';

export async function checkPng(file: UploadedFile): Promise<CheckedPng | { readonly problem: string }> {
  const { head } = file;
  if (Buffer.from(head.subarray(0, 8)).toString('latin1') !== '\x89PNG\r\n\x1a\n' || head.length < 33)
    return { problem: 'is no PNG file' };
  const view = new DataView(head.buffer, head.byteOffset);
  return { width: view.getUint32(16), height: view.getUint32(20), hasAlpha: [4, 6].includes(head[25] ?? 0) };
}
