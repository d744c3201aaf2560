import { testInheritedNamesInRequests } from '../../conformance/inherited-names/in-requests.ts';
import { leafRequests } from '../../conformance/leaves/leaf-requests.ts';

/* Names that every object inherits, used in the leaves of the published documents and validated by them. */

testInheritedNamesInRequests(leafRequests);
