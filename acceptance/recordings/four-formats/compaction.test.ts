import { describeCompaction } from '../../../conformance/four-formats/compaction.ts';

describeCompaction({ againstDocuments: true });
