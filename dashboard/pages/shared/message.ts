/** An upstream behind a proxy sends pages in place of messages. Single tags, such as `<model>`, are part of a sentence. */
const PAGE = /<(?:!doctype|html|head|body|title|center|h[1-6]|div|p|br|pre)\b[^>]*>/i;
const UNSEEN = /<(script|style|head)\b[^>]*>[\s\S]*?(?:<\/\1\s*>|$)/gi;
const TAGS = /<[^<>]*>?/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must go
const CONTROLS = /\u001b\[[0-9;]*[A-Za-z]|[\u0000-\u0008\u000b-\u001f\u007f]/g;
const ENTITIES: Readonly<Record<string, string>> = {
  ...{ '&lt;': '<', '&gt;': '>', '&quot;': '"', '&apos;': "'", '&#39;': "'", '&nbsp;': ' ', '&amp;': '&' },
};

/** Returns a message as plain text, without the markup, colours and empty lines of what upstreams send. */
export function plainMessage(message: string): string {
  const text = PAGE.test(message) ? withoutMarkup(message) : message;
  return text
    .replace(CONTROLS, '')
    .replace(/[ \t]+/g, ' ')
    .replace(/ ?\n\s*/g, '\n')
    .trim();
}

function withoutMarkup(page: string): string {
  return page
    .replace(UNSEEN, ' ')
    .replace(TAGS, ' ')
    .replace(/&(?:lt|gt|quot|apos|#39|nbsp|amp);/g, (entity) => ENTITIES[entity] ?? entity);
}
