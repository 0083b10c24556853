"""What is asked.

A TOML file comes in. A validated Study goes out: groups of cases, published numbers and claims. A
Study holds nothing of the host, so it can be carried to another machine.
"""
