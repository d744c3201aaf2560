import type { Members } from '../../shared/media/image-request.ts';

/** The starting point of a model. */
export type Source =
  | { readonly kind: 'text'; readonly prompt: string }
  /** One image, or two to four: front, left, back, right. */
  | { readonly kind: 'images'; readonly urls: readonly string[] };

/** The differences between the two versions of Tripo's API: the paths, and the members for the starting point. */
export interface Dialect {
  /** Returns the path for submitting a job. */
  submitPath(source: Source): string;
  /** The path for polling jobs; the id follows. */
  readonly jobPath: string;
  members(source: Source, model: string): Members;
}

const VIEWS = ['front', 'left', 'back', 'right'] as const;
/** The most input images. */
export const MOST_IMAGES = VIEWS.length;

type Kind = 'text_to_model' | 'image_to_model' | 'multiview_to_model';

function kindOf(source: Source): Kind {
  if (source.kind === 'text') return 'text_to_model';
  return source.urls.length === 1 ? 'image_to_model' : 'multiview_to_model';
}

/** `POST /generation/{kind}`, `GET /tasks/{id}`; images are plain URLs. */
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

/** `POST /task` with a `type`, `GET /task/{id}`; images are objects, and multi-view requests always have four. */
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

/** Returns the file type, which the API requires but does not check. */
function fileType(url: string): string {
  const ending = /\.(png|webp|jpe?g)$/i.exec(url.replace(/[?#].*$/s, ''))?.[1]?.toLowerCase();
  return ending === 'png' || ending === 'webp' ? ending : 'jpg';
}
