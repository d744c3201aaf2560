import { join } from 'node:path';
import { formatViolation } from './facts.ts';
import { checkProject, readProject, unusedExceptions } from './tidy.ts';

const files = await readProject(join(import.meta.dir, '../..'));
const violations = checkProject(files);
const unused = unusedExceptions(files);
for (const violation of violations) console.log(formatViolation(violation));
for (const exception of unused) console.log(`unused exception: ${exception}`);
console.log(`tidy: ${files.length} files, ${violations.length} violations`);
process.exitCode = violations.length + unused.length === 0 ? 0 : 1;
