import type { StrictUpstream } from '../rule.ts';
import { anyEmbeddings } from './any-embeddings.ts';
import { cohereEmbed, cohereRerank } from './cohere.ts';
import { dashscopeEmbeddings } from './dashscope-embeddings.ts';
import { geminiEmbeddings, vertexEmbeddings } from './google-embeddings.ts';
import { jinaEmbeddings, jinaRerank } from './jina.ts';
import { mistralEmbeddings } from './mistral-embeddings.ts';
import { openaiEmbeddings } from './openai-embeddings.ts';
import { teiEmbeddings, teiRerank } from './tei.ts';
import { togetherEmbeddings } from './together-embeddings.ts';
import { voyageEmbeddings, voyageRerank } from './voyage.ts';

export const embeddingUpstreams: readonly StrictUpstream[] = [
  openaiEmbeddings,
  dashscopeEmbeddings,
  teiEmbeddings,
  mistralEmbeddings,
  togetherEmbeddings,
  vertexEmbeddings,
  geminiEmbeddings,
  cohereEmbed,
  voyageEmbeddings,
  jinaEmbeddings,
  anyEmbeddings,
];

export const rerankUpstreams: readonly StrictUpstream[] = [cohereRerank, voyageRerank, teiRerank, jinaRerank];
