import '../postgres/import.test.ts';
import '../postgres/upgrade.test.ts';
