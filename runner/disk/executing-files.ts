const runners = [
  /(?:^|\/)\.(?:envrc|pre-commit-config\.yaml|pre-commit-hooks\.yaml|gitlab-ci\.yml|travis\.yml)$/,
  /(?:^|\/)(?:Makefile|makefile|GNUmakefile|justfile|Justfile|Taskfile\.ya?ml|Jenkinsfile|noxfile\.py|tox\.ini|setup\.py|package\.json|Vagrantfile|\.envrc)$/,
  /(?:^|\/)\.(?:github\/workflows|github\/actions|circleci|husky|vscode|idea|devcontainer|githooks|hooks)\//,
  /(?:^|\/)(?:sitecustomize|usercustomize)\.py$/,
  /\.pth$/,
];

/** Finds files that run something when a person opens the folder, commits, pushes or types the usual command. */
export function executesOnOrdinaryActions(path: string): boolean {
  return runners.some((pattern) => pattern.test(path));
}
