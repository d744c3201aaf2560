/** Returns an English title as it is written within a sentence: "End user" as "end user", but "API key" as it is. */
export function inSentence(title: string): string {
  return /^[A-Z][a-z]/.test(title) ? title[0]?.toLowerCase() + title.slice(1) : title;
}
