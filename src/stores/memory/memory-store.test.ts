import { describeStoreContract } from '../shared/testing/contract.ts';
import { openMemoryStore } from './memory-store.ts';

describeStoreContract('memory', async () => openMemoryStore());
