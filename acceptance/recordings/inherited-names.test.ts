import { testInheritedNamesInRequests } from '../../conformance/inherited-names/in-requests.ts';
import { leafRequests } from '../../conformance/leaves/leaf-requests.ts';

/* Names that every object inherits something by, in the published documents' leaves, judged by the documents. */

testInheritedNamesInRequests(leafRequests);
