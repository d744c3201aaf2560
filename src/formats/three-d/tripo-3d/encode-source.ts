import type { Members } from '../../shared/media/image-request.ts';

/** What a model begins with. */
export type Source =
  | { readonly kind: 'text'; readonly prompt: string }
  /** One picture, or two to four: from the front, from its left, from behind, from its right. */
  | { readonly kind: 'images'; readonly urls: readonly string[] };

/** Where the two versions of Tripo's API differ: in addresses and in how they name what a model begins with. */
export interface Dialect {
  /** Where a job is submitted. */
  submitPath(source: Source): string;
  /** Where jobs are asked for; their id follows. */
  readonly jobPath: string;
  members(source: Source, model: string): Members;
}

const VIEWS = ['front', 'left', 'back', 'right'] as const;
/** How many pictures a model may begin with. */
export const MOST_IMAGES = VIEWS.length;

type Kind = 'text_to_model' | 'image_to_model' | 'multiview_to_model';

function kindOf(source: Source): Kind {
  if (source.kind === 'text') return 'text_to_model';
  return source.urls.length === 1 ? 'image_to_model' : 'multiview_to_model';
}

/** `POST /generation/{kind}`, `GET /tasks/{id}`; pictures are plain URLs. */
export const V3: Dialect = {
  submitPath: (source) => `/generation/${kindOf(source).replaceAll('_', '-')}`,
  jobPath: '/tasks',
  members(source, model) {
    if (source.kind === 'text') return { prompt: source.prompt, model };
    const [first] = source.urls;
    if (source.urls.length === 1) return { input: first, model };
    return { inputs: source.urls.map((url, index) => ({ [VIEWS[index] ?? 'front']: url })), model };
  },
};

/** `POST /task` with a `type`, `GET /task/{id}`; pictures are objects, and of several there are always four. */
export const V2: Dialect = {
  submitPath: () => '/task',
  jobPath: '/task',
  members(source, model) {
    const type = kindOf(source);
    if (source.kind === 'text') return { type, prompt: source.prompt, model_version: model };
    const files = source.urls.map((url) => ({ type: fileType(url), url }));
    if (files.length === 1) return { type, file: files[0], model_version: model };
    return { type, files: VIEWS.map((_, index) => files[index] ?? {}), model_version: model };
  },
};

/** It is not checked there, but wanted. */
function fileType(url: string): string {
  const ending = /\.(png|webp|jpe?g)$/i.exec(url.replace(/[?#].*$/s, ''))?.[1]?.toLowerCase();
  return ending === 'png' || ending === 'webp' ? ending : 'jpg';
}
