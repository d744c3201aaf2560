import { join } from 'node:path';
import { formatViolation } from './facts.ts';
import { checkProject, readProject } from './tidy.ts';

const files = await readProject(join(import.meta.dir, '../..'));
const violations = checkProject(files);
for (const violation of violations) console.log(formatViolation(violation));
console.log(`tidy: ${files.length} files, ${violations.length} violations`);
process.exitCode = violations.length === 0 ? 0 : 1;
