import { CommonnessTable } from './commonness.ts';
import type { Model } from './score.ts';

/** A model in its file format: numbers as they are, tables as little-endian bytes in base64. */
export interface ModelFile {
  readonly texts: number;
  readonly words: string;
  readonly combinations: string;
  readonly traitWeights: string;
  readonly traitUnit: number;
  readonly edges: readonly string[];
  readonly roots: string;
  readonly features: string;
  readonly bins: string;
  readonly rights: string;
  readonly values: string;
  readonly valueUnit: number;
}

export function readModel(file: ModelFile): Model {
  return {
    commonness: new CommonnessTable(file.texts, bytesOf(file.words), bytesOf(file.combinations)),
    traitWeights: new Int8Array(bytesOf(file.traitWeights).buffer),
    traitUnit: file.traitUnit,
    edges: file.edges.map((edges) => new Float32Array(bytesOf(edges).buffer)),
    forest: {
      roots: new Uint32Array(bytesOf(file.roots).buffer),
      features: bytesOf(file.features),
      bins: bytesOf(file.bins),
      rights: bytesOf(file.rights),
      values: new Int16Array(bytesOf(file.values).buffer),
      valueUnit: file.valueUnit,
    },
  };
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.fromBase64(text);
}
