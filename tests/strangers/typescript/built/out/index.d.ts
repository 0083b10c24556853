export declare function errors(path: string): AsyncGenerator<string>;
