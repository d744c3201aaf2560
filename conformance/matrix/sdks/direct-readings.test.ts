import { ownExchanges } from '../../shared/recordings.ts';
import { testDirectReadings } from './direct-readings.ts';

testDirectReadings(ownExchanges(), 1);
