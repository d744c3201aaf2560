/* Imported `with { type: 'file' }`: the path of the file, which the single executable has within itself. */

declare module 'gpt-tokenizer/data/o200k_base.tiktoken' {
  const path: string;
  export default path;
}
