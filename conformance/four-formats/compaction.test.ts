import { describeCompaction } from './compaction.ts';

describeCompaction({ againstDocuments: false });
