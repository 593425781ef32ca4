from setuptools import setup

setup(
    name="xpuck_bridge",
    version="0.2.0",
    packages=["xpuck_bridge"],
    data_files=[
        ("share/ament_index/resource_index/packages", ["resource/xpuck_bridge"]),
        ("share/xpuck_bridge", ["package.xml"]),
    ],
    install_requires=["setuptools", "xpuck-controller"],
    entry_points={"console_scripts": ["bridge = xpuck_bridge.node:main"]},
)
