// Beside what they start, every command would load that, since each asks whether it is one of these.

/** The argument that starts the program as the keychain helper. */
export const KEYCHAIN_HELPER_ARGUMENT = "--keychain-helper";

/** The argument that starts the program as the browser helper. */
export const BROWSER_HELPER_ARGUMENT = "--browser-helper";

/** The argument that starts the program to check a file; its path follows. */
export const FILE_CHECK_ARGUMENT = "--check-sqlite-file";
