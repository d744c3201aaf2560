/* The address of a trace in the operators' trace viewer. */

export const TRACE_ID_PLACE = '{trace_id}';
const LONGEST = 1_000;

/**
 * Whether a text is the template of such an address: http or https, without a user name or a password, with `{trace_id}` after the host.
 * Browsers would run other addresses as code.
 */
export function isTraceLinkTemplate(template: string): boolean {
  if (template.length > LONGEST || /[\s\p{Cc}"<>\\]/u.test(template)) return false;
  if (!/^https?:\/\//i.test(template)) return false;
  const url = URL.parse(filled(template, '0'));
  if (url === null || url.username !== '' || url.password !== '') return false;
  return template.slice(template.indexOf('//') + 2 + url.host.length).includes(TRACE_ID_PLACE);
}

/** @param traceId 32 hex digits */
export function traceLinkOf(template: string, traceId: string): string {
  return filled(template, traceId);
}

function filled(template: string, traceId: string): string {
  return template.replaceAll(TRACE_ID_PLACE, traceId);
}
