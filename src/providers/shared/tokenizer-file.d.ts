/* Imported `with { type: 'file' }`: the path of the file, which is embedded in the single executable. */

declare module 'gpt-tokenizer/data/o200k_base.tiktoken' {
  const path: string;
  export default path;
}
