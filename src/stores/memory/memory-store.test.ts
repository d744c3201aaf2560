import { describeStoreContract } from '../shared/contract.ts';
import { openMemoryStore } from './memory-store.ts';

describeStoreContract('memory', async () => openMemoryStore());
