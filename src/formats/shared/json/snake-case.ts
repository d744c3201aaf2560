/** Converts camel case to snake case: `inlineData` becomes `inline_data`. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
