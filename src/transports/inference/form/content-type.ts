import { Failure } from '../../../domain/failure/failure.ts';

/** RFC 2046, section 5.1.1: 1 to 70 of these characters, not ending with a space. */
const BOUNDARY = /^[\w'()+,./:=? -]{0,69}[\w'()+,./:=?-]$/;
const BOUNDARY_PARAMETER = /;\s*boundary\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*))\s*(?=;|$)/gi;

/** Returns the boundary of a `multipart/form-data` body from its `Content-Type` header. */
export function boundaryOf(contentType: string | null): string | Failure {
  if (contentType === null || !/^\s*multipart\/form-data\s*(?:;|$)/i.test(contentType)) return notAForm(contentType);
  const found = [...contentType.matchAll(BOUNDARY_PARAMETER)];
  if (found.length > 1) return wrong('has two boundaries');
  const [match] = found;
  if (match === undefined) return wrong('has no boundary');
  const boundary = match[1]?.replaceAll(/\\(.)/g, '$1') ?? match[2] ?? '';
  if (boundary === '') return wrong('has an empty boundary');
  if (boundary.length > 70) return wrong('has a boundary longer than 70 characters');
  return BOUNDARY.test(boundary) ? boundary : wrong('has a boundary with invalid characters');
}

function wrong(what: string): Failure {
  return new Failure('invalid_value', {
    message: `The header \`Content-Type: multipart/form-data\` ${what}. Let your HTTP client set the header: its boundary must be that of the body (\`multipart/form-data; boundary=…\`).`,
    param: 'Content-Type',
    kind: 'invalid_form',
  });
}

function notAForm(contentType: string | null): Failure {
  const sent = contentType === null ? 'no content type' : `the content type \`${contentType.slice(0, 100)}\``;
  return new Failure('unsupported_content_type', {
    message: `The request has ${sent}, but this endpoint requires a form. Send \`Content-Type: multipart/form-data; boundary=…\`, with the file as a part.`,
  });
}
