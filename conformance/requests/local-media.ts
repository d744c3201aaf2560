import { isObject } from '../shared/json.ts';

/** Small files, served on the loopback interface, that replace the remote files of recorded prompts. */
export interface LocalMedia {
  readonly origin: string;
  /** Replaces the URLs of files in the body's text with local ones. */
  readonly localize: (text: string, body: unknown) => string;
  /** Returns the base64 of the file behind a local URL; `undefined` for other URLs. */
  readonly base64Of: (url: string) => string | undefined;
  readonly stop: () => Promise<void>;
}

interface MediaFile {
  readonly mediaType: string;
  readonly base64: string;
}

const PDF = `%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 72 72]>>endobj
trailer<</Root 1 0 R>>
%%EOF
`;

/** One sample of silence: 8,000 samples per second, 8 bits, mono. */
const WAV = 'UklGRiUAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQEAAACA';
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const FILES: Readonly<Record<string, MediaFile>> = {
  '/picture.png': { mediaType: 'image/png', base64: PNG },
  '/document.pdf': { mediaType: 'application/pdf', base64: btoa(PDF) },
  '/sound.wav': { mediaType: 'audio/wav', base64: WAV },
};

/** The members in which the four formats have the URLs of files, at any depth. */
const POINTERS: ReadonlySet<string> = new Set([
  ...['image_url', 'video_url', 'audio_url', 'file_url', 'fileUri', 'file_uri'],
  ...['image_url.url', 'video_url.url', 'audio_url.url', 'file_url.url', 'source.url'],
]);

/** Returns the URLs of files in a prompt. */
function pointersIn(value: unknown, parent = ''): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((one) => pointersIn(one, parent));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, member]) => {
    const isPointer = POINTERS.has(key) || POINTERS.has(`${parent}.${key}`);
    return typeof member === 'string'
      ? isPointer && /^https?:\/\//.test(member)
        ? [member]
        : []
      : pointersIn(member, key);
  });
}

function localPath(url: string): string {
  if (/\.pdf\b/i.test(url)) return '/document.pdf';
  return /\.(?:wav|mp3|ogg|flac)\b/i.test(url) ? '/sound.wav' : '/picture.png';
}

export function startLocalMedia(): LocalMedia {
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request) {
      const file = FILES[new URL(request.url).pathname];
      if (file === undefined) return new Response(null, { status: 404 });
      return new Response(Buffer.from(file.base64, 'base64'), { headers: { 'content-type': file.mediaType } });
    },
  });
  const origin = `http://127.0.0.1:${server.port}`;
  return {
    origin,
    localize: (text, body) =>
      pointersIn(body).reduce(
        (changed, url) => changed.replaceAll(JSON.stringify(url), JSON.stringify(origin + localPath(url))),
        text,
      ),
    base64Of: (url) => (url.startsWith(origin) ? FILES[url.slice(origin.length)]?.base64 : undefined),
    stop: () => server.stop(true),
  };
}
