import { isRecord } from '../../shared/json/record.ts';
import type { ObjectNaming } from '../provider-state.ts';
import { NamedObjects } from '../shared/named-objects.ts';
import { memberOf, type WireObject } from './decoding.ts';

function named(body: WireObject) {
  const wrapped = memberOf(body, 'generateContentRequest');
  const request = isRecord(wrapped) ? wrapped : body;
  const objects = new NamedObjects();
  objects.id(memberOf(request, 'cachedContent'), 'cachedContent');
  for (const [index, content] of listOf(request.contents).entries()) inContent(objects, content, `contents[${index}]`);
  inContent(objects, memberOf(request, 'systemInstruction'), 'systemInstruction');
  for (const [index, tool] of listOf(request.tools).entries()) {
    const search = isRecord(tool) ? memberOf(tool, 'fileSearch') : null;
    if (isRecord(search))
      objects.ids(memberOf(search, 'fileSearchStoreNames'), `tools[${index}].fileSearch.fileSearchStoreNames`);
  }
  return objects.found;
}

function inContent(objects: NamedObjects, content: unknown, path: string): void {
  if (!isRecord(content)) return;
  for (const [index, part] of listOf(content.parts).entries()) {
    if (!isRecord(part)) continue;
    const at = `${path}.parts[${index}]`;
    const file = memberOf(part, 'fileData');
    if (isRecord(file)) objects.url(memberOf(file, 'fileUri'), `${at}.fileData.fileUri`);
    const response = memberOf(part, 'functionResponse');
    if (isRecord(response)) inContent(objects, response, `${at}.functionResponse`);
  }
}

/** Returns a list; protocol buffers accept a single message in place of one. */
function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return isRecord(value) ? [value] : [];
}

/** Provider-side objects that a request can refer to: caches, files, and file stores. Answers create none. */
export const objects: ObjectNaming = { named, mayIssue: () => false, issued: () => [] };
