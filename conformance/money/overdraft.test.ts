import { startMoneyBed } from './bed.ts';
import { describeOverdraft } from './overdraft.ts';

/* With more requests, and with several processes: `acceptance/money/overdraft.test.ts`. */

describeOverdraft({ start: startMoneyBed, atOnce: 400, paid: 140 });
