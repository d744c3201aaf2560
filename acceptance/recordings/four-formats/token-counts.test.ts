import { describeTokenCounts } from '../../../conformance/four-formats/token-counts.ts';

describeTokenCounts({ againstDocuments: true });
