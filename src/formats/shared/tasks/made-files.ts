import { Failure } from '../../../domain/failure/failure.ts';
import type { FileSource, MadeItem } from '../../../domain/tasks/job.ts';
import type { TaskKind } from '../../../domain/tasks/task.ts';
import { nonEmptyText } from '../json/json-values.ts';
import { entryOf, isRecord, objectOf } from '../json/record.ts';
import { isWebAddress } from '../media/image-answer.ts';
import { extensionOf, kindByName, mediaTypeByName } from './file-types.ts';
import { secondsOf } from './job-answer.ts';

/*
 * Finds the files in the answer of a hosted model from any maker. There is no common shape: an address, a list of them, or an
 * object with members that each maker names differently (`video.url`, `audio_file.url`, `model_urls.glb.url`). Anything that is
 * not a file is skipped.
 */

export type GeneratedKind = Exclude<TaskKind, 'image'>;

/** Members that contain the files of a kind, the most specific first; only the first one with a file is read. */
const MEMBERS: Readonly<Record<GeneratedKind, readonly string[]>> = {
  video: ['video', 'videos', 'video_url', 'video_file', 'mp4'],
  music: ['audio', 'audios', 'audio_file', 'audio_url', 'song', 'songs', 'music', 'clips', 'mp3', 'wav'],
  '3d': [
    ...['model_mesh', 'model_glb', 'model_file', 'mesh', 'model', 'models', 'glb', 'model_urls', 'model_glb_pbr'],
    ...['textured_mesh', 'pbr_model', 'base_model', 'mesh_path', 'mesh_file', 'obj', 'obj_file'],
  ],
};
const ANY_KIND: readonly string[] = ['output', 'outputs', 'result', 'results', 'file', 'files', 'data', 'urls', 'url'];
const COVERS: readonly string[] = ['thumbnail', 'thumbnail_url', 'cover', 'cover_url', 'rendered_image', 'preview'];

/** The most files of one answer; a model usually makes one, and rarely four. */
const MOST_FILES = 64;
const DEEPEST = 4;

/** Returns the failure of a job that the upstream reports as successful, but whose answer has no file. */
export function nothingMade(): Failure {
  const message = 'The provider reported success, but its response has no file.';
  return new Failure('upstream_error', { kind: 'no_result', message });
}

interface FoundFile {
  readonly url: string;
  /** The members next to the address. */
  readonly told: Readonly<Record<string, unknown>>;
}

/**
 * Returns the files of this kind in an answer; empty if there are none. `wanted` is the requested file format, such as `glb`: it
 * is preferred if a 3D model comes in several formats.
 */
export function madeItems(answer: unknown, kind: GeneratedKind, wanted: string | null = null): readonly MadeItem[] {
  const whole = objectOf(answer);
  const found = filesIn(answer, kind, wanted, 0);
  // A list may contain pictures and previews next to the result itself.
  const fitting = found.filter(({ url }) => kindOf(url) === kind);
  const files = (fitting.length > 0 ? fitting : found.filter(({ url }) => kindOf(url) !== 'image')).slice(
    0,
    MOST_FILES,
  );
  const cover = coverOf(whole);
  return files.map((file) => itemOf(file, kind, whole, cover));
}

function filesIn(value: unknown, kind: GeneratedKind, wanted: string | null, depth: number): readonly FoundFile[] {
  if (depth > DEEPEST) return [];
  if (typeof value === 'string') return isFileAddress(value) ? [{ url: value, told: {} }] : [];
  if (Array.isArray(value)) {
    return value.slice(0, MOST_FILES).flatMap((item) => filesIn(item, kind, wanted, depth + 1));
  }
  if (!isRecord(value)) return [];
  const own = ownAddress(value);
  if (own !== null) return [{ url: own, told: value }];
  for (const name of [...(wanted === null ? [] : ['model_urls', wanted]), ...MEMBERS[kind], ...ANY_KIND]) {
    const files = filesIn(entryOf(value, name), kind, wanted, depth + 1);
    if (files.length > 0) return name === 'model_urls' ? files.slice(0, 1) : files;
  }
  return [];
}

/** Returns the address of a file given as an object. */
function ownAddress(value: Readonly<Record<string, unknown>>): string | null {
  for (const name of ['url', 'uri', 'href']) {
    const address = entryOf(value, name);
    if (typeof address === 'string' && isFileAddress(address)) return address;
  }
  return null;
}

const DATA_URI = /^data:[\w.+-]{1,60}\/[\w.+-]{1,60}(?:;[\w.+=-]{1,100}){0,4};base64,[A-Za-z0-9+/]+={0,2}$/;

function isFileAddress(text: string): boolean {
  return text.startsWith('data:') ? DATA_URI.test(text) : isWebAddress(text);
}

function itemOf(
  { url, told }: FoundFile,
  kind: GeneratedKind,
  whole: Readonly<Record<string, unknown>>,
  cover: FileSource | null,
): MadeItem {
  const extension = extensionOf(url);
  const prompt = textIn(whole, ['actual_prompt', 'revised_prompt']);
  const base: MadeItem = {
    source: { kind: 'url', url },
    mediaType: mediaTypeOf(url, told),
    ...(cover !== null && { cover }),
    ...(prompt !== null && { revisedPrompt: prompt }),
  };
  if (kind === '3d') return kindByName(url) === '3d' ? { ...base, format: extension } : base;
  const duration = secondsOf(told.duration) ?? secondsOf(whole.duration) ?? secondsOf(whole.audio_duration);
  const timed = duration === null ? base : { ...base, durationSeconds: duration };
  return kind === 'video' ? timed : { ...timed, ...songOf(told, whole) };
}

function songOf(
  told: Readonly<Record<string, unknown>>,
  whole: Readonly<Record<string, unknown>>,
): Pick<MadeItem, 'title' | 'lyrics' | 'tags'> {
  const title = textIn(told, ['title']) ?? textIn(whole, ['title']);
  const lyrics = textIn(told, ['lyrics']) ?? textIn(whole, ['lyrics']);
  const said = told.tags ?? whole.tags;
  const list = Array.isArray(said) ? said.filter((tag) => typeof tag === 'string').slice(0, 100) : [said];
  const tags = nonEmptyText(list.filter((tag) => typeof tag === 'string').join(', '));
  return { ...(title !== null && { title }), ...(lyrics !== null && { lyrics }), ...(tags !== null && { tags }) };
}

const LONGEST_TEXT = 100_000;

function textIn(object: Readonly<Record<string, unknown>>, names: readonly string[]): string | null {
  for (const name of names) {
    const text = nonEmptyText(entryOf(object, name));
    if (text !== null) return text.slice(0, LONGEST_TEXT);
  }
  return null;
}

function coverOf(whole: Readonly<Record<string, unknown>>): FileSource | null {
  for (const name of COVERS) {
    const told = entryOf(whole, name);
    const url = isRecord(told) ? ownAddress(told) : told;
    if (typeof url === 'string' && isFileAddress(url)) return { kind: 'url', url };
  }
  return null;
}

const MEDIA_TYPE = /^[a-z]{1,20}\/[\w.+-]{1,60}$/;

/** Returns the declared type if it is specific; else the type that the name's extension implies. */
function mediaTypeOf(url: string, { content_type: said }: Readonly<Record<string, unknown>>): string | null {
  const declared = typeof said === 'string' ? said.toLowerCase() : '';
  if (MEDIA_TYPE.test(declared) && !/^(?:text\/|application\/(?:octet-stream|json)$)/.test(declared)) return declared;
  if (url.startsWith('data:')) return url.slice('data:'.length, url.search(/[;,]/)).toLowerCase();
  return mediaTypeByName(url);
}

function kindOf(url: string): TaskKind | null {
  if (url.startsWith('data:')) {
    const [type = ''] = url.slice('data:'.length, 'data:'.length + 20).split('/');
    const kinds: Readonly<Record<string, TaskKind>> = { video: 'video', audio: 'music', model: '3d', image: 'image' };
    return entryOf(kinds, type.toLowerCase()) ?? null;
  }
  return kindByName(url);
}
