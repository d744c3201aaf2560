import { ownExchanges } from '../shared/recordings.ts';
import { testSdkReadings } from './sdk-readings.ts';

testSdkReadings(ownExchanges());
