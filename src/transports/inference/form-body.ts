import { Failure } from '../../domain/failure/failure.ts';
import { MemoryFile } from '../../domain/media/memory-file.ts';
import type { FormRules, UploadedFile, UploadedForm } from '../../domain/media/uploaded-file.ts';
import { cutShort, received, tooLarge } from './body.ts';
import type { WholeBody } from './whole-body.ts';

type Bytes = Uint8Array<ArrayBuffer>;

/** What the text parts and the headers of all parts may take. */
const TEXT_BYTES = 1024 * 1024;

/** Reads a form once it is known whose it is. */
export function formBody({ request, connections, lease, uploads }: WholeBody) {
  return async (accountId: string, rules: FormRules): Promise<UploadedForm | Failure> => {
    const contentType = request.headers.get('content-type') ?? '';
    if (!/^multipart\/form-data\s*;/i.test(contentType)) return notAForm(contentType);
    lease.belongTo(accountId);
    connections.timeout(request, 0);
    const limitBytes = Object.values(rules.files).reduce(
      (sum, rule) => sum + rule.maxBytes * rule.maxCount,
      TEXT_BYTES,
    );
    const upload = uploads.begin(accountId);
    const pieces: Uint8Array[] = [];
    let size = 0;
    try {
      for await (const piece of request.body === null ? [] : received(request.body, upload)) {
        size += piece.length;
        const refusal = size > limitBytes ? tooLarge(limitBytes) : lease.grow(piece.length);
        if (refusal !== null) return refusal;
        pieces.push(piece);
      }
    } catch {
      return upload.failure ?? cutShort();
    } finally {
      uploads.over(upload);
    }
    if (upload.failure !== null) return upload.failure;
    const form = await parsed(Buffer.concat(pieces), contentType);
    return form instanceof Failure ? form : checked(form, rules, request.modelInPath);
  };
}

type Entry = readonly [string, string | File];

async function parsed(bytes: Bytes, contentType: string): Promise<readonly Entry[] | Failure> {
  try {
    return [...(await new Response(bytes, { headers: { 'content-type': contentType } }).formData()).entries()];
  } catch {
    return new Failure('invalid_value', {
      message:
        'The request body is no valid `multipart/form-data`: the boundary is missing, or the body does not match it.',
      kind: 'invalid_form',
    });
  }
}

async function checked(
  form: readonly Entry[],
  rules: FormRules,
  modelInPath: string | undefined,
): Promise<UploadedForm | Failure> {
  const fields = new Map<string, string[]>();
  const files = new Map<string, UploadedFile[]>();
  const lists = new Set(rules.lists.map(withoutBrackets));
  for (const [sentName, value] of form) {
    const name = withoutBrackets(sentName);
    const rule = Object.hasOwn(rules.files, name) ? rules.files[name] : undefined;
    if (typeof value === 'string') {
      if (rule !== undefined) return wrong(name, `The part \`${name}\` must be a file.`);
      const values = fields.get(name) ?? [];
      if (values.length > 0 && !lists.has(name)) return wrong(name, `The part \`${name}\` is there twice.`);
      fields.set(name, [...values, value]);
      continue;
    }
    if (rule === undefined) return wrong(name, `The part \`${name}\` is a file, but no file of this name is expected.`);
    const present = files.get(name) ?? [];
    if (present.length >= rule.maxCount) return wrong(name, `There are more than ${rule.maxCount} files \`${name}\`.`);
    if (value.size > rule.maxBytes) return tooLarge(rule.maxBytes);
    const declaredType = value.type.split(';')[0]?.trim().toLowerCase() || null;
    const file = new MemoryFile(await value.bytes(), { name: value.name || 'file', declaredType });
    files.set(name, [...present, file]);
  }
  if (modelInPath !== undefined) fields.set('model', [modelInPath]);
  return { fields, files, remove: () => undefined };
}

/** Several SDKs write `image[]` for the items of a list. */
function withoutBrackets(name: string): string {
  return name.endsWith('[]') ? name.slice(0, -2) : name;
}

function wrong(param: string, message: string): Failure {
  return new Failure('invalid_value', { message, param });
}

function notAForm(contentType: string): Failure {
  return new Failure('unsupported_content_type', {
    message: `The content type \`${contentType.slice(0, 100)}\` is not supported here. Send a form with the header \`Content-Type: multipart/form-data; boundary=…\`.`,
  });
}
