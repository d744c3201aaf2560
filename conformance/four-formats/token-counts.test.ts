import { describeTokenCounts } from './token-counts.ts';

describeTokenCounts({ againstDocuments: false });
