import '../postgres/store.test.ts';
import '../postgres/tasks-operators.test.ts';
import '../postgres/tasks.test.ts';
