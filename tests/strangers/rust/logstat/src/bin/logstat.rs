fn main() {
    let path = std::env::args().nth(1).unwrap();
    println!("{}", logstat::errors::count(path.as_ref()).unwrap());
}
