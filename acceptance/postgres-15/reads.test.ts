import '../postgres/reads.test.ts';
