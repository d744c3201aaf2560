import { AwsV4Signer } from 'aws4fetch';

interface StoredObject {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly type: string;
  readonly disposition: string | null;
}

export const S3_KEYS = { accessKeyId: 'AKIATEST', secretAccessKey: 'secret/of+the/test' } as const;
export const BUCKET = 'acme-media';
const REGION = 'eu-central-1';
/** Short, so that there are several pages. */
const PAGE = 50;

/**
 * An in-memory fake of S3's API after Amazon's reference: objects, multipart uploads, paged lists, ranges. It verifies every signature by
 * signing the request again with another library.
 */
export class FakeS3 {
  readonly objects = new Map<string, StoredObject>();
  readonly uploads = new Map<
    string,
    { readonly type: string; readonly disposition: string | null; readonly parts: Map<number, Uint8Array> }
  >();
  /** The requests so far, such as `PUT key`. */
  readonly requests: string[] = [];
  /** Replaces the usual response. */
  failing: ((request: Request, url: URL) => Response | null | Promise<Response | null>) | null = null;
  private readonly server: ReturnType<typeof Bun.serve>;

  constructor() {
    this.server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      idleTimeout: 0,
      maxRequestBodySize: 2 ** 30,
      fetch: (request) => this.answer(request),
    });
  }

  get endpoint(): string {
    return `http://127.0.0.1:${this.server.port}`;
  }

  async close(): Promise<void> {
    await this.server.stop(true);
  }

  private async answer(request: Request): Promise<Response> {
    const url = new URL(request.url);
    const key = decodeURIComponent(url.pathname).slice(BUCKET.length + 2);
    this.requests.push(`${request.method} ${key}`);
    if (!url.pathname.startsWith(`/${BUCKET}/`)) return errorOf(404, 'NoSuchBucket');
    if (!(await isSigned(request, url))) return errorOf(403, 'SignatureDoesNotMatch');
    const failure = await this.failing?.(request, url);
    if (failure) return failure;
    const { searchParams: query } = url;
    const uploadId = query.get('uploadId');
    if (uploadId !== null) return this.upload(request, key, uploadId, query);
    if (request.method === 'POST' && query.has('uploads')) {
      const id = `upload-${this.requests.length}`;
      this.uploads.set(id, { ...describedBy(request), parts: new Map() });
      return xml(`<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`);
    }
    if (request.method === 'GET' && query.get('list-type') === '2') return this.list(query);
    if (request.method === 'PUT') {
      this.objects.set(key, { bytes: await bytesOf(request), ...describedBy(request) });
      return new Response(null, { headers: { etag: '"e"' } });
    }
    if (request.method === 'DELETE') {
      this.objects.delete(key);
      return new Response(null, { status: 204 });
    }
    return this.read(request, key);
  }

  private async upload(request: Request, key: string, id: string, query: URLSearchParams): Promise<Response> {
    const upload = this.uploads.get(id);
    if (upload === undefined) return errorOf(404, 'NoSuchUpload');
    if (request.method === 'PUT') {
      upload.parts.set(Number(query.get('partNumber')), await bytesOf(request));
      return new Response(null, { headers: { etag: `"${query.get('partNumber')}"` } });
    }
    this.uploads.delete(id);
    if (request.method === 'DELETE') return new Response(null, { status: 204 });
    const parts = [...upload.parts].sort(([left], [right]) => left - right).map(([, part]) => part);
    if (parts.slice(0, -1).some((part) => part.length < 5 * 1024 * 1024)) return errorOf(400, 'EntityTooSmall');
    this.objects.set(key, {
      bytes: new Uint8Array(Buffer.concat(parts)),
      type: upload.type,
      disposition: upload.disposition,
    });
    return xml('<CompleteMultipartUploadResult><ETag>"e"</ETag></CompleteMultipartUploadResult>');
  }

  private list(query: URLSearchParams): Response {
    const prefix = query.get('prefix') ?? '';
    const after = query.get('continuation-token') ?? '';
    const left = [...this.objects.keys()].filter((key) => key.startsWith(prefix) && key > after).sort();
    const page = left.slice(0, PAGE);
    const isTruncated = left.length > PAGE;
    const contents = page.map(
      (key) => `<Contents><Key>${key}</Key><Size>${this.objects.get(key)?.bytes.length}</Size></Contents>`,
    );
    const next = isTruncated ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : '';
    return xml(
      `<ListBucketResult><Name>${BUCKET}</Name><Prefix>${prefix}</Prefix><KeyCount>${page.length}</KeyCount><MaxKeys>${PAGE}</MaxKeys><IsTruncated>${isTruncated}</IsTruncated>${next}${contents.join('')}</ListBucketResult>`,
    );
  }

  private read(request: Request, key: string): Response {
    const object = this.objects.get(key);
    if (object === undefined)
      return request.method === 'HEAD' ? new Response(null, { status: 404 }) : errorOf(404, 'NoSuchKey');
    const headers = new Headers({
      'content-type': object.type,
      etag: '"e"',
      'last-modified': new Date(0).toUTCString(),
    });
    if (object.disposition !== null) headers.set('content-disposition', object.disposition);
    if (request.method === 'HEAD') {
      headers.set('content-length', String(object.bytes.length));
      return new Response(null, { headers });
    }
    const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.get('range') ?? '') ?? [];
    if (from === undefined) return new Response(object.bytes, { headers });
    const end = to === '' ? object.bytes.length : Number(to) + 1;
    return new Response(object.bytes.slice(Number(from), end), { status: 206, headers });
  }
}

/** Signs the request again with the headers and time that it states. */
async function isSigned(request: Request, url: URL): Promise<boolean> {
  const presigned = url.searchParams.get('X-Amz-Signature');
  if (presigned !== null) return isPresigned(request, url, presigned);
  const authorization = request.headers.get('authorization') ?? '';
  const names = /SignedHeaders=([^,]+)/.exec(authorization)?.[1]?.split(';') ?? [];
  const kept = names
    .filter((name) => name !== 'host')
    .map((name): [string, string] => [name, request.headers.get(name) ?? '']);
  const signer = new AwsV4Signer({
    ...{ ...S3_KEYS, service: 's3', region: REGION, method: request.method, url: url.href, allHeaders: true },
    headers: kept,
    datetime: request.headers.get('x-amz-date') ?? '',
  });
  const { headers } = await signer.sign();
  const signatureIn = (text: string) => /Signature=([0-9a-f]{64})$/.exec(text)?.[1] ?? null;
  return (
    signatureIn(authorization) !== null &&
    signatureIn(authorization) === signatureIn(headers.get('authorization') ?? '')
  );
}

async function isPresigned(request: Request, url: URL, signature: string): Promise<boolean> {
  const { searchParams } = url;
  const datetime = searchParams.get('X-Amz-Date') ?? '';
  const madeAtMs = Date.parse(datetime.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));
  const lifeMs = Number(searchParams.get('X-Amz-Expires')) * 1_000;
  if (!(lifeMs > 0 && lifeMs <= 604_800_000 && Date.now() < madeAtMs + lifeMs)) return false;
  const bare = new URL(url);
  bare.searchParams.delete('X-Amz-Signature');
  const signer = new AwsV4Signer({
    ...{ ...S3_KEYS, service: 's3', region: REGION, method: request.method, url: bare.href, signQuery: true, datetime },
  });
  return (await signer.sign()).url.searchParams.get('X-Amz-Signature') === signature;
}

async function bytesOf(request: Request): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await request.arrayBuffer());
}

function describedBy({ headers }: Request) {
  return { type: headers.get('content-type') ?? '', disposition: headers.get('content-disposition') };
}

function xml(body: string, status = 200): Response {
  return new Response(`<?xml version="1.0" encoding="UTF-8"?>${body}`, {
    status,
    headers: { 'content-type': 'application/xml' },
  });
}

export function errorOf(status: number, code: string): Response {
  return xml(`<Error><Code>${code}</Code><Message>${code}</Message></Error>`, status);
}

export function s3Place(s3: FakeS3, links: 'gateway' | 'presigned' = 'gateway') {
  return {
    ...{ endpoint: s3.endpoint, publicEndpoint: null, bucket: BUCKET, region: REGION, prefix: 'switchyard/' },
    ...{ ...S3_KEYS, sessionToken: null, links },
  };
}
